"""What a position looks like: boards, pictures as plain data, SVG."""
