#!/bin/sh
# Checks the files of the review page with eslint and prettier from npm, or formats them: sh tools/lint_page.sh [--write]
# They are installed below build/; nothing else needs them.
set -eu
cd "$(dirname "$0")/.."
npm=$PWD/build/npm page=src/core/review/page
mkdir -p "$npm"
[ -d "$npm/node_modules/prettier" ] || npm install --prefix "$npm" --no-audit --no-fund --silent eslint@9 prettier@3
"$npm/node_modules/.bin/prettier" "${1:---check}" --config tools/prettier.json "$page"/*.js "$page/page.css"
# the scripts are one
cat "$page"/*.js >"$npm/page.js"
cp tools/eslint.config.mjs "$npm/eslint.config.mjs"
cd "$npm"
node_modules/.bin/eslint --no-warn-ignored page.js
echo "page: ok"
