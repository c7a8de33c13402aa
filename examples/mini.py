"""Monte-Carlo tree search in one file of plain Python: UCT with RAVE, and score bounds that make it a solver.

    python examples/mini.py              # proves a position of Connect Four on a board of 4 x 4
    python examples/mini.py 7x6 4455     # 7 columns, 6 rows, after the moves 4 4 5 5
    python examples/mini.py 5x4 --play   # plays a game against itself

How to read it: from top to bottom. First comes the game. The search uses its `mover`, `moves`, `play` and `outcome` and nothing
else, so that any other game can take its place. Then comes a node of the tree, and the four steps of a simulation: `choose` a
way down, `play_out` the game, `back_up` its outcome, `narrow` the bounds. `simulate` joins them and `search` repeats that.

Point of view: the first player is Max and the second Min. Outcomes (1 won, 0 drawn, -1 lost), sums and bounds are always Max's;
only `worth` turns a mean to the player who chooses.
"""

import math
import random
import sys

LOWEST, HIGHEST = -1, 1  # the outcomes of the game
NAMES = "XO"
WORDS = {1: "X wins", 0: "draw", -1: "O wins"}
PLAYOUTS = 20_000  # at most, for each position that `main` looks at


# -- the game ----------------------------------------------------------------------------------------------------------
class Connect4:
    """A position of Connect Four on a board of any size. It never changes: `play` returns a new one.

    The stones of each player are one integer, a bit for each square. Columns are a bit longer than the board is high, so that
    the row above the top stays empty and no line of four runs from the top of one column into the next.
    """

    def __init__(self, width, height, stones=(0, 0), mover=0):
        self.width, self.height = width, height
        self.stones = stones
        self.mover = mover  # 0 (Max) or 1 (Min)

    def moves(self):
        """The columns that are not full."""
        taken = self.stones[0] | self.stones[1]
        return [column for column in range(self.width) if not taken >> (column * (self.height + 1) + self.height - 1) & 1]

    def play(self, column):
        taken = self.stones[0] | self.stones[1]
        bottom = 1 << column * (self.height + 1)
        stone = (taken + bottom) & ~taken & (bottom << self.height) - bottom  # the carry stops at the lowest empty square
        first, second = self.stones
        stones = (first | stone, second) if self.mover == 0 else (first, second | stone)
        return Connect4(self.width, self.height, stones, 1 - self.mover)

    def outcome(self):
        """1, 0 or -1 if the game is over, else None. Only the player who moved last can have made a line."""
        stones = self.stones[1 - self.mover]
        for step in (1, self.height, self.height + 1, self.height + 2):  # up, down right, right, up right
            pairs = stones & stones >> step
            if pairs & pairs >> 2 * step:
                return 1 if self.mover == 1 else -1
        return None if self.moves() else 0

    def __str__(self):
        rows = []
        for row in reversed(range(self.height)):
            squares = [column * (self.height + 1) + row for column in range(self.width)]
            rows.append(" ".join("X" if self.stones[0] >> s & 1 else "O" if self.stones[1] >> s & 1 else "." for s in squares))
        return "\n".join([*rows, " ".join(str((column + 1) % 10) for column in range(self.width))])


# -- the tree ----------------------------------------------------------------------------------------------------------
class Node:
    """A position in the tree, named by the move that led to it."""

    def __init__(self, move=None):
        self.move = move
        self.visits, self.total = 0, 0  # games through this node, and the sum of their outcomes
        self.rave_visits, self.rave_total = 0, 0  # games in which the mover made this move now or later
        self.pess, self.opti = LOWEST, HIGHEST  # the value under perfect play lies between these
        self.children = []

    @property
    def is_proven(self):
        return self.pess == self.opti

    def expand(self, board, rng):
        moves = board.moves()
        rng.shuffle(moves)  # so that equal moves are tried in random order
        self.children = [Node(move) for move in moves]


class Options:
    """What a search can do without. The figures are Tesuji's defaults for `selection=rave`; see `worth`."""

    def __init__(self, exploration=0.1, rave=True, rave_bias=1 / 3000, solver=True):
        self.exploration, self.rave, self.rave_bias, self.solver = exploration, rave, rave_bias, solver


# -- step 1: choose ----------------------------------------------------------------------------------------------------
def choose(node, mover, options):
    """The child to visit: the one of highest worth among those whose visit can tell anything."""
    log = math.log(node.visits) if node.visits else 0.0
    return max((child for child in node.children if is_open(child, node, mover)), key=lambda c: worth(c, log, mover, options))


def is_open(child, node, mover):
    """Whether the child may still be better for the mover than what its parent is sure of.

    A proven child never is. The other test is a cut, as in alpha-beta: a move that at best reaches what Max has already is not
    worth a visit, and the same for Min. Without a solver the bounds stay as wide as they can be, and every child is open.
    """
    if child.is_proven:
        return False
    return child.opti > node.pess if mover == 0 else child.pess < node.opti


def worth(child, log, mover, options):
    """(1 - b) mean + b rave + C sqrt(ln N / n), all means between 0 and 1 for the player who chooses.

    RAVE, "all moves as first", is an early hint: how games ended in which the mover made this move at all, now or later. The
    more the child's own n games say, the less the m games of the hint count: b = m / (n + m + c n m).
    """
    visits, hints = child.visits, child.rave_visits if options.rave else 0
    if visits == 0 and hints == 0:
        return math.inf  # every move is tried once
    mean = share(child.total, visits, mover) if visits else 0.0
    if hints:
        weight = hints / (visits + hints + options.rave_bias * visits * hints)
        mean = (1 - weight) * mean + weight * share(child.rave_total, hints, mover)
    return mean + options.exploration * math.sqrt(log / max(visits, 1))


def share(total, visits, mover):
    """The mean outcome as a number from 0 (the mover lost all games) to 1 (won all)."""
    mean = (total / visits - LOWEST) / (HIGHEST - LOWEST)
    return mean if mover == 0 else 1 - mean


# -- step 2: play out --------------------------------------------------------------------------------------------------
def play_out(board, played, rng):
    """Random moves to the end of the game; the moves are added to `played` as (mover, move). Returns the outcome."""
    while (outcome := board.outcome()) is None:
        move = rng.choice(board.moves())
        played.append((board.mover, move))
        board = board.play(move)
    return outcome


# -- step 3: back up ---------------------------------------------------------------------------------------------------
def back_up(path, played, outcome):
    """Counts a game in every node of its path, and as a hint in every child whose move its mover made then or later.

    `path[depth]` is the node before the move `played[depth]`. Going backwards, `later` holds what was played from there on.
    """
    for node in path:
        node.visits += 1
        node.total += outcome
    later = set()
    for depth in reversed(range(len(played))):
        mover = played[depth][0]
        later.add(played[depth])
        if depth < len(path):
            for child in path[depth].children:
                if (mover, child.move) in later:
                    child.rave_visits += 1
                    child.rave_total += outcome


# -- step 4: narrow ----------------------------------------------------------------------------------------------------
def narrow(path, played):
    """The bounds of the last node have changed: brings those above it up to date, for as long as that changes anything.

    Max is sure of the best that one of its moves is sure of, and cannot hope for more than the best that one can hope for. Min
    likewise, with small for large. These are Algorithms 1 and 2 of Cazenave and Saffidine (2010).
    """
    for depth in reversed(range(len(path) - 1)):
        node, mover = path[depth], played[depth][0]
        best = max if mover == 0 else min
        pess = best(child.pess for child in node.children)
        opti = best(child.opti for child in node.children)
        if (pess, opti) == (node.pess, node.opti):
            break
        node.pess, node.opti = pess, opti


# -- the loop ----------------------------------------------------------------------------------------------------------
def simulate(root, board, options, rng):
    """One game: down the tree, out to the end by chance, and back."""
    node, path, played = root, [root], []
    while True:
        outcome = board.outcome()
        if outcome is not None:  # the end of the game, in the tree: nothing is as certain as that
            if options.solver and not node.is_proven:
                node.pess = node.opti = outcome
                narrow(path, played)
            break
        if not node.children:
            if node.visits == 0 and node is not root:  # a leaf is played out first, and expanded at its second visit
                outcome = play_out(board, played, rng)
                break
            node.expand(board, rng)
        node = choose(node, board.mover, options)
        path.append(node)
        played.append((board.mover, node.move))
        board = board.play(node.move)
    back_up(path, played, outcome)


def search(board, playouts, options=None, seed=0):
    """The root of a tree of so many simulations; fewer if the value of the position is proven before."""
    options, rng, root = options or Options(), random.Random(seed), Node()
    while root.visits < playouts and not root.is_proven:
        simulate(root, board, options, rng)
    return root


def ranked(node, mover):
    """The children, best first: by what is proven where that says something, else by visits."""

    def key(child):
        sure, hope = (child.pess, child.opti) if mover == 0 else (-child.opti, -child.pess)
        beaten = hope < max(other.pess if mover == 0 else -other.opti for other in node.children)
        return (not beaten, sure == HIGHEST, hope > LOWEST, sure if node.is_proven else 0, child.visits)

    return sorted(node.children, key=key, reverse=True)


def line_of(node, board):
    """The moves that both sides are expected to make."""
    moves = []
    while node.children:
        node = ranked(node, board.mover)[0]
        moves.append(node.move)
        board = board.play(node.move)
    return moves


# -- what a person sees ------------------------------------------------------------------------------------------------
def report(root, board):
    print(board)
    print(f"\n{NAMES[board.mover]} to move; {root.visits:,} games\n\nmove  visits  chance  value")
    most = max(child.visits for child in root.children)
    for child in ranked(root, board.mover):
        chance = share(child.total, child.visits, board.mover) if child.visits else 0.5
        value = WORDS[child.pess] if child.is_proven else f"{WORDS[child.pess]} .. {WORDS[child.opti]}"
        value = "?" if (child.pess, child.opti) == (LOWEST, HIGHEST) else value
        bar = "#" * round(20 * child.visits / most)
        print(f"{child.move + 1:4}  {child.visits:6,}  {chance:6.1%}  {value:18}  {bar}")
    verdict = f"proven: {WORDS[root.pess]}" if root.is_proven else "not proven yet"
    print(f"\n{verdict}; line: {' '.join(str(move + 1) for move in line_of(root, board))}\n")


def main(words):
    size, *moves = [word for word in words if word != "--play"] or ["4x4", "2233"]
    width, _, height = size.partition("x")
    if not (width.isdecimal() and height.isdecimal() and 0 < int(width) < 10 and 0 < int(height) < 10):
        sys.exit(f"mini: {size!r} is not the size of a board; write COLUMNSxROWS, each 1 to 9, as in 7x6")
    board = Connect4(int(width), int(height))
    for digit in "".join(moves):
        if board.outcome() is not None or digit not in [str(move + 1) for move in board.moves()]:
            sys.exit(f"mini: {digit!r} is no legal move here:\n{board}")
        board = board.play(int(digit) - 1)
    while board.outcome() is None:
        root = search(board, PLAYOUTS)
        report(root, board)
        if "--play" not in words:
            return
        board = board.play(ranked(root, board.mover)[0].move)
    print(f"{board}\n\n{WORDS[board.outcome()]}")


if __name__ == "__main__":
    main(sys.argv[1:])
