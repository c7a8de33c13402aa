"""Lines of Action: bring all your pieces together."""
