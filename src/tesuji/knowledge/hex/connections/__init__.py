"""Virtual connections: how they are kept, found and updated, and what follows from them."""
