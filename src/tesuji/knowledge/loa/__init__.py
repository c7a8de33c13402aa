"""What players of Lines of Action know beyond the rules: move categories, evaluation."""
