"""The one exception that is the user's business: its text is the single line that the command line prints."""


class UserError(Exception):
    """Wrong input: the message says what is wrong and what would be right. The command line exits with 2."""


class GameError(UserError):
    """A game broke the rules of being a game: it raised, looped, or gave an impossible answer."""
