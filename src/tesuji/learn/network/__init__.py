"""Networks learned from game records, with PyTorch. The result is a file of Tesuji's own that plays without it."""
