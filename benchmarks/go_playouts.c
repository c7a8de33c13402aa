/* Uniform Go playouts in C: the algorithm of src/tesuji/games/go written a second time, to measure the compiled Python by.
 *
 * Same padded board, same pseudo-liberties, same list of strings in atari, same order of random numbers, so the same games
 * come out: go_playouts.py checks some hundred of them one by one, moves, scores and random numbers, before it compares times.
 */
#include <stdint.h>
#include <string.h>

enum { LARGEST = 19, STRIDE = 20, BOARD = 21 * STRIDE + 1, POINTS = LARGEST * LARGEST };
enum { EMPTY, BLACK, WHITE, BORDER };

typedef struct { int32_t count, sum, squares, stones; } String;

typedef struct {
    uint64_t hash;
    String strings[BOARD];
    int16_t head[BOARD], next_stone[BOARD];
    int16_t empties[POINTS], empty_at[BOARD];
    int16_t ataris[POINTS], atari_at[BOARD];
    int16_t point_of[POINTS + 1], move_of[BOARD];
    int8_t colour[BOARD];
    int16_t stone_count[2];
    int16_t empty_count, atari_count, ko, last_move, size, ply, longest;
    int8_t passes, to_play;
    int32_t komi;
} State;

static const int NEIGHBOURS[4] = {-STRIDE, -1, 1, STRIDE};
static const int CORNERS[4] = {-STRIDE - 1, -STRIDE + 1, STRIDE - 1, STRIDE + 1};
static uint64_t zobrist[2][BOARD];

/* -- random numbers: xoshiro256** ---------------------------------------------------------------------------------------- */
static inline uint64_t rotate(uint64_t x, int by) { return (x << by) | (x >> (64 - by)); }

static inline uint64_t next_u64(uint64_t *s) {
    uint64_t result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

static inline int below(uint64_t *rng, int n) { return (int)(((next_u64(rng) >> 32) * (uint64_t)n) >> 32); }

/* -- strings ------------------------------------------------------------------------------------------------------------- */
static inline int in_atari(int64_t count, int64_t sum, int64_t squares) { return count * squares == sum * sum; }

static inline void add_atari(State *s, int head) {
    s->ataris[s->atari_count] = head;
    s->atari_at[head] = ++s->atari_count;
}

static inline void drop_atari(State *s, int head) {
    int at = s->atari_at[head];
    if (at) {
        int last = s->ataris[--s->atari_count];
        s->ataris[at - 1] = last;
        s->atari_at[last] = at;
        s->atari_at[head] = 0;
    }
}

static inline int join(State *s, int one, int other) {
    int large = one, small = other;
    if (s->strings[large].stones < s->strings[small].stones) large = other, small = one;
    int stone = small;
    do {
        s->head[stone] = large;
        stone = s->next_stone[stone];
    } while (stone != small);
    int after = s->next_stone[large];
    s->next_stone[large] = s->next_stone[small];
    s->next_stone[small] = after;
    s->strings[large].count += s->strings[small].count;
    s->strings[large].sum += s->strings[small].sum;
    s->strings[large].squares += s->strings[small].squares;
    s->strings[large].stones += s->strings[small].stones;
    drop_atari(s, small);
    return large;
}

static inline int take_off(State *s, int captured, int player) {
    int taker = 2 - player, before = s->empty_count, stone = captured;
    drop_atari(s, captured);
    do {
        int following = s->next_stone[stone];
        s->colour[stone] = EMPTY;
        s->head[stone] = s->next_stone[stone] = 0;
        s->empties[s->empty_count] = stone;
        s->empty_at[stone] = s->empty_count++;
        s->hash ^= zobrist[player][stone];
        for (int i = 0; i < 4; i++) {
            int neighbour = stone + NEIGHBOURS[i];
            if (s->colour[neighbour] == taker) {
                int head = s->head[neighbour];
                String *freed = &s->strings[head];
                freed->count++;
                freed->sum += stone;
                freed->squares += stone * stone;
                if (s->atari_at[head]) drop_atari(s, head);
            }
        }
        stone = following;
    } while (stone != captured);
    s->stone_count[player] -= s->empty_count - before;
    return s->empty_count - before;
}

static inline int put_stone(State *s, int point, int player) {
    int own = player + 1, home = 0, captures = 0, count = 0, sum = 0, squares = 0;
    int last = s->empties[--s->empty_count], at = s->empty_at[point];
    s->empties[at] = last;
    s->empty_at[last] = at;
    s->colour[point] = own;
    s->hash ^= zobrist[player][point];
    s->stone_count[player]++;
    for (int i = 0; i < 4; i++) {
        int neighbour = point + NEIGHBOURS[i], who = s->colour[neighbour];
        if (who == EMPTY) {
            count++;
            sum += neighbour;
            squares += neighbour * neighbour;
        } else if (s->head[neighbour]) {
            int head = s->head[neighbour];
            String *string = &s->strings[head];
            string->count--;
            string->sum -= point;
            string->squares -= point * point;
            if (who == own) {
                if (!home) home = head;
                else if (home != head) home = join(s, home, head);
            } else if (string->count == 0) {
                captures = 1;
            } else if (in_atari(string->count, string->sum, string->squares) && !s->atari_at[head]) {
                add_atari(s, head);
            }
        }
    }
    if (!home) {
        home = point;
        s->next_stone[point] = point;
        s->strings[point] = (String){count, sum, squares, 1};
    } else {
        s->next_stone[point] = s->next_stone[home];
        s->next_stone[home] = point;
        s->strings[home].count += count;
        s->strings[home].sum += sum;
        s->strings[home].squares += squares;
        s->strings[home].stones++;
    }
    s->head[point] = home;
    String *string = &s->strings[home];
    int ko = 0;
    if (captures) {
        int captured = 0;
        for (int i = 0; i < 4; i++) {
            int neighbour = point + NEIGHBOURS[i];
            if (s->colour[neighbour] == 3 - own && s->strings[s->head[neighbour]].count == 0) {
                captured += take_off(s, s->head[neighbour], 1 - player);
                ko = neighbour;
            }
        }
        if (captured != 1 || string->stones != 1 || string->count != 1) ko = 0;
    }
    if (in_atari(string->count, string->sum, string->squares)) {
        if (!s->atari_at[home]) add_atari(s, home);
    } else {
        drop_atari(s, home);
    }
    return ko;
}

/* -- rules --------------------------------------------------------------------------------------------------------------- */
static inline int is_suicide(const State *s, int point, int player) {
    for (int i = 0; i < 4; i++) {
        int neighbour = point + NEIGHBOURS[i], who = s->colour[neighbour];
        if (who == EMPTY) return 0;
        if (who != BORDER && (who == player + 1) == (s->atari_at[s->head[neighbour]] == 0)) return 0;
    }
    return 1;
}

static inline int is_eye(const State *s, int point, int own) {
    const int8_t *c = s->colour + point;
    if (!(c[-STRIDE] & c[-1] & c[1] & c[STRIDE] & own)) return 0;
    int enemies = 0, edge = 0;
    for (int i = 0; i < 4; i++) {
        int who = c[CORNERS[i]];
        if (who == BORDER) edge = 1;
        else if (who == 3 - own) enemies++;
    }
    return enemies + edge < 2;
}

static inline int is_sensible(const State *s, int point, int player) {
    return !is_eye(s, point, player + 1) && point != s->ko && !is_suicide(s, point, player);
}

static inline int random_move(State *s, uint64_t *rng) {
    int count = s->empty_count, player = s->to_play;
    while (count > 0) {
        int at = below(rng, count), point = s->empties[at];
        if (is_sensible(s, point, player)) return s->move_of[point];
        count--;
        int last = s->empties[count];
        s->empties[at] = last;
        s->empty_at[last] = at;
        s->empties[count] = point;
        s->empty_at[point] = count;
    }
    return s->size * s->size;
}

static inline void play(State *s, int move) {
    int player = s->to_play, point = s->point_of[move];
    s->last_move = move;
    s->ply++;
    s->to_play = 1 - player;
    if (!point) {
        s->passes++;
        s->ko = 0;
    } else {
        s->passes = 0;
        s->ko = put_stone(s, point, player);
    }
}

static int region_points(State *s) {
    int points = 0;
    for (int i = 0; i < s->empty_count; i++) {
        int start = s->empties[i], waiting = start, area = 0, reached = 0;
        if (s->head[start]) continue;
        s->head[start] = start;
        while (waiting) {
            int point = waiting;
            waiting = s->next_stone[point];
            area++;
            for (int k = 0; k < 4; k++) {
                int neighbour = point + NEIGHBOURS[k], who = s->colour[neighbour];
                if (who == EMPTY) {
                    if (!s->head[neighbour]) {
                        s->head[neighbour] = start;
                        s->next_stone[neighbour] = waiting;
                        waiting = neighbour;
                    }
                } else if (who != BORDER) {
                    reached |= who;
                }
            }
        }
        points += reached == 1 ? area : reached == 2 ? -area : 0;
    }
    for (int i = 0; i < s->empty_count; i++) s->head[s->empties[i]] = s->next_stone[s->empties[i]] = 0;
    return points;
}

static inline int outcome(State *s) {
    int points = s->stone_count[0] - s->stone_count[1];
    for (int i = 0; i < s->empty_count; i++) {
        const int8_t *c = s->colour + s->empties[i];
        int a = c[-STRIDE], b = c[-1], d = c[1], e = c[STRIDE];
        if (a == EMPTY || b == EMPTY || d == EMPTY || e == EMPTY)
            return 2 * (s->stone_count[0] - s->stone_count[1] + region_points(s)) - s->komi;
        int reached = a & b & d & e;
        points += (reached & 1) - (reached >> 1);
    }
    return 2 * points - s->komi;
}

/* -- what the script calls ----------------------------------------------------------------------------------------------- */
static State root, state;

void set_up(int size, int komi, const uint64_t *words) {
    memset(&root, 0, sizeof root);
    memset(root.colour, BORDER, sizeof root.colour);
    memcpy(zobrist, words, sizeof zobrist);
    for (int row = 0; row < size; row++)
        for (int column = 0; column < size; column++) {
            int move = row * size + column, point = (row + 1) * STRIDE + column + 1;
            root.point_of[move] = point;
            root.move_of[point] = move;
            root.colour[point] = EMPTY;
            root.empties[move] = point;
            root.empty_at[point] = move;
        }
    root.empty_count = size * size;
    root.size = size;
    root.komi = komi;
    root.longest = 6 * size * size + 60;
    root.last_move = -1;
}

/* Plays `count` games; returns the number of moves and adds the scores to `total`. */
int64_t run_playouts(uint64_t *rng, int count, int64_t *total) {
    int64_t plies = 0;
    for (int i = 0; i < count; i++) {
        state = root;
        while (state.passes < 2 && state.ply < state.longest) play(&state, random_move(&state, rng));
        plies += state.ply;
        *total += outcome(&state);
    }
    return plies;
}
