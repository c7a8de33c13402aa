"""The seki problems of Cazenave and Saffidine: two strings of Go stones with outside and shared liberties."""
