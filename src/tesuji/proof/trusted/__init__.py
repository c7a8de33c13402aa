"""All that must be trusted to believe a certificate, besides the rules of its game: format, checker, links."""
