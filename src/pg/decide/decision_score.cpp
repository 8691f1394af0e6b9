// decision_score(rule, signals): the probability, by a rule, that a removal is right.
#include "pg/base/call_site.hpp"
#include "pg/compare/signals.hpp"
#include "pg/decide/rule_json.hpp"

using namespace txtfp;

namespace {

// The rule of a call site, read again only when it differs from the rule of the last call.
struct LastRule {
	Jsonb *json = nullptr;
	const pg::StoredRule *rule = nullptr;
	MemoryContext memory = nullptr;
};

const pg::StoredRule &rule_of(FunctionCallInfo fcinfo)
{
	auto &last = pg::call_site<LastRule>(fcinfo);
	const Jsonb *json = PG_GETARG_JSONB_P(0);
	if (last.rule != nullptr && VARSIZE(json) == VARSIZE(last.json) && memcmp(json, last.json, VARSIZE(json)) == 0)
		return *last.rule;
	if (last.memory != nullptr) {
		last.rule = nullptr;
		MemoryContextReset(last.memory);
	} else {
		last.memory = AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "txtfp decision rule", ALLOCSET_DEFAULT_SIZES);
	}
	const pg::StoredRule &rule = pg::read_rule(json, last.memory);
	last.json = static_cast<Jsonb *>(MemoryContextAlloc(last.memory, VARSIZE(json)));
	memcpy(last.json, json, VARSIZE(json));
	last.rule = &rule;
	return rule;
}

} // namespace

TXTFP_FUNCTION(txtfp_decision_score)
{
	const pg::StoredRule &rule = rule_of(fcinfo);
	PG_RETURN_FLOAT8(pg::score(rule, pg::read_signals(PG_GETARG_DATUM(1))));
}
