// What a join is called with, and what follows from it: checked here for the server and the Python package, in the same
// words.
#pragma once

#include <optional>

#include "core/kinds/kinds.hpp"

namespace txtfp::core {

struct JoinOptions {
	// The limit, by the name that it has for a unit. The others must not be given.
	std::optional<double> threshold;
	std::optional<int> max_distance, min_score;
	// How sketches are joined: with this recall, by default 0.99, or with these bands.
	std::optional<int> bands, rows;
	std::optional<double> recall;
};

struct JoinPlan {
	double threshold; // of sketches
	int bound;        // of a measure
	Banding banding;  // of sketches
};

// What is wrong with options: a message, and sentences that may be empty.
struct Complaint {
	char message[160], detail[120], hint[120];
};

// False if a limit of another unit is given to `what`.
bool fits_unit(const JoinOptions &options, MeasureUnit unit, const char *what, Complaint &wrong);

// False if the options are wrong. `default_limit`: if none is given. write(number, text) writes a number as the host
// shows it.
bool plan_join(const Kind &kind, const JoinOptions &options, double default_limit,
	void (*write)(double number, char (&text)[32]), JoinPlan &plan, Complaint &wrong);

} // namespace txtfp::core
