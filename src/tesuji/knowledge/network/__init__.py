"""Networks: their data, their files and their forward pass."""
