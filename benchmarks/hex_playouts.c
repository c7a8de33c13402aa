/* Playouts of Hex by patterns in C: knowledge/hex/policies/pattern_playouts.py written a second time, to measure Python by.
 *
 * Same padded board, same table of weights, same order of random numbers, so the same games come out: hex_playouts.py checks
 * some hundred of them, moves, winner and random numbers, before it compares times.
 */
#include <stdint.h>
#include <string.h>

enum { LARGEST = 19, MARGIN = 2, STRIDE = 32, ROW_SHIFT = 5, ROWS = LARGEST + 2 * MARGIN, PLACES = STRIDE * ROWS, CELLS = 12 };

typedef struct {
    uint64_t weights[PLACES];
    uint64_t rows[ROWS];
    uint64_t total;
    uint32_t codes[PLACES];
    uint8_t colours[PLACES];
} Board;

static const int COLUMN[CELLS] = {0, 1, -1, 1, -1, 0, 1, 2, -1, 1, -2, -1};
static const int ROW[CELLS] = {-1, -1, 0, 0, 1, 1, -2, -1, -1, 1, 1, 2};
static int steps[CELLS];
static uint32_t stone_bits[2][CELLS];

static const uint64_t *words;
static uint64_t slots, shift, unknown;
static const uint32_t *six_class; /* by edge class */
static Board start, board;
static int near[CELLS + 1], width, height;
static uint64_t replies[CELLS + 1];

void set_up(const uint64_t *table, uint64_t entries, uint64_t table_shift, uint64_t unknown_weights, const uint32_t *sixes,
            const Board *empty, int board_width, int board_height) {
    words = table;
    slots = entries;
    shift = table_shift;
    unknown = unknown_weights;
    six_class = sixes;
    start = *empty;
    width = board_width;
    height = board_height;
    for (int i = 0; i < CELLS; i++) {
        steps[i] = ROW[i] * STRIDE + COLUMN[i];
        for (int j = 0; j < CELLS; j++)
            if (COLUMN[j] == -COLUMN[i] && ROW[j] == -ROW[i])
                for (int player = 0; player < 2; player++) stone_bits[player][i] = (uint32_t)(player + 1) << 2 * j;
    }
}

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

/* -- patterns -------------------------------------------------------------------------------------------------------------- */
static inline uint64_t find_entry(uint64_t key) {
    uint64_t place = (key * 0x9E3779B97F4A7C15ull >> shift) << 1;
    while (words[place] != 0 && (words[place] & 0xFFFFFFFFu) != key) place = (place + 2) & (2 * slots - 1);
    return place;
}

static inline uint64_t find_pattern(uint32_t code) {
    uint64_t place = find_entry(code);
    return words[place] != 0 ? place : find_entry((code & 0xFFF) | six_class[code >> 24]);
}

static inline uint64_t weights_of(uint64_t place) {
    uint64_t both = words[place] >> 32;
    return both != 0 ? (both & 0xFFFF) | (both >> 16) << 32 : unknown;
}

static inline uint64_t put_stone(int place, int player, uint64_t *total) {
    uint64_t own = board.weights[place], reply_total = 0;
    int count = 0;
    board.colours[place] = player + 1;
    board.weights[place] = 0;
    board.rows[place >> ROW_SHIFT] -= own;
    *total -= own;
    for (int i = 0; i < CELLS; i++) {
        int other = place + steps[i];
        board.codes[other] |= stone_bits[player][i];
        near[count] = other;
        count += board.weights[other] != 0;
    }
    for (int i = 0; i < count; i++) {
        int other = near[i];
        uint64_t entry = find_pattern(board.codes[other]), now = weights_of(entry), change = now - board.weights[other];
        board.weights[other] = now;
        board.rows[other >> ROW_SHIFT] += change;
        *total += change;
        replies[i] = words[entry + 1] >> 32 * (1 - player) & 0xFFFFFFFFu;
        reply_total += replies[i];
    }
    return reply_total;
}

static inline int draw_place(int player, uint64_t total, uint64_t reply_total, uint64_t *rng) {
    int by = 32 * player;
    uint64_t sum = (total >> by & 0xFFFFFFFFu) + reply_total, target;
    target = sum <= 0xFFFFFFFFu ? (next_u64(rng) >> 32) * sum >> 32 : (next_u64(rng) >> 40) * sum >> 24;
    if (target < reply_total) {
        int i = 0;
        while (target >= replies[i]) target -= replies[i++];
        return near[i];
    }
    target -= reply_total;
    int row = MARGIN;
    uint64_t weight = board.rows[row] >> by & 0xFFFFFFFFu;
    while (target >= weight) {
        target -= weight;
        weight = board.rows[++row] >> by & 0xFFFFFFFFu;
    }
    int place = row * STRIDE + MARGIN;
    weight = board.weights[place] >> by & 0xFFFFFFFFu;
    while (target >= weight) {
        target -= weight;
        weight = board.weights[++place] >> by & 0xFFFFFFFFu;
    }
    return place;
}

/* -- games ------------------------------------------------------------------------------------------------------------------- */
static int winner(void) {
    int black = (MARGIN - 1) * STRIDE + MARGIN, white = MARGIN * STRIDE + MARGIN - 1, before = white - STRIDE;
    for (;;) {
        int ahead = black + white - before;
        if (ahead >> ROW_SHIFT >= height + MARGIN) return 1;
        if ((ahead & (STRIDE - 1)) >= width + MARGIN) return -1;
        if ((board.colours[ahead] & 3) == 1) {
            before = black;
            black = ahead;
        } else {
            before = white;
            white = ahead;
        }
    }
}

/* Plays `count` games from the empty board; the moves of the last one are in `history`. Returns the sum of their results. */
int64_t run_playouts(uint64_t *rng, int64_t count, int32_t *history, int8_t *movers) {
    int64_t sum = 0;
    for (int64_t n = 0; n < count; n++) {
        board = start;
        uint64_t total = board.total, reply_total = 0;
        int player = 0;
        for (int ply = 0; ply < width * height; ply++) {
            int place = draw_place(player, total, reply_total, rng);
            history[ply] = ((place >> ROW_SHIFT) - MARGIN) * width + (place & (STRIDE - 1)) - MARGIN;
            movers[ply] = player;
            reply_total = put_stone(place, player, &total);
            player = 1 - player;
        }
        sum += winner();
    }
    return sum;
}
