"""Go on boards of 2x2 to 19x19: area scoring, no suicide, simple ko or positional superko."""
