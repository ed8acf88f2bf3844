// SPDX-License-Identifier: Apache-2.0
// What all ranks do together. A buffer is dealt out in blocks of bytes, in turn; what a rank has of
// it lies there in a row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "plugins/mpi/wire.hpp"

namespace breakeven::mpi {

struct Piece {
  std::size_t part, place, local, bytes;  // where: in the range, and in its part
};

// The bytes from `start` on, block by block.
template <class Visit>
void for_each_piece(std::size_t start, std::size_t bytes, std::size_t block, std::size_t parts,
                    Visit visit) {
  for (std::size_t place = 0; place < bytes;) {
    const std::size_t at = start + place, number = at / block, inside = at % block;
    const std::size_t length = std::min(bytes - place, block - inside);
    visit(Piece{number % parts, place, number / parts * block + inside, length});
    place += length;
  }
}

// Of all ranks, together; the seat computes nothing. `device` is the number of the one that
// computes on this rank. The library's name; empty: this program computes nothing in a grid.
// Throws std::runtime_error.
std::string join_grid(std::size_t device);

// Null: not supported. Its `enqueue` returns when this rank has done its part.
std::unique_ptr<Task> grid_task(const GridWork& work);

}  // namespace breakeven::mpi
