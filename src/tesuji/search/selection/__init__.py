"""Selection rules: the interface, the loop over the children, and one file for each family of rules."""
