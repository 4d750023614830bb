#!/usr/bin/env bash
# Installs the npm package and checks the files; the inputs come as SGLINT_*. Exit codes as sglint's.
set -euo pipefail
shopt -s globstar nullglob

fail() { printf '::error::%s\n' "$*"; exit 2; }

[[ $SGLINT_FORMAT == github || $SGLINT_FORMAT == sarif ]] || fail "format is github or sarif, not '$SGLINT_FORMAT'"
folder=$(mktemp -d "${RUNNER_TEMP:-/tmp}/sglint.XXXXXX")
npm install --prefix "$folder" --no-audit --no-fund --silent "$SGLINT_PACKAGE" || fail "npm cannot install $SGLINT_PACKAGE"
sglint=$folder/node_modules/.bin/sglint

options=(--format "$SGLINT_FORMAT")
[[ -z $SGLINT_MACHINE ]] || options+=(--machine "$SGLINT_MACHINE")
[[ -z $SGLINT_RELEASE ]] || options+=(--release "$SGLINT_RELEASE")
[[ $SGLINT_FAIL_ON == never ]] || options+=(--fail-on "$SGLINT_FAIL_ON")
[[ $SGLINT_FORMAT == github ]] || mkdir "$folder/sarif"

checked=0
worst=0
seen=' '
# Unquoted on purpose: the patterns are expanded here.
for file in $SGLINT_FILES; do
  [[ -f $file && $file != node_modules/* && $file != */node_modules/* && $seen != *" $file "* ]] || continue
  seen+="$file "
  grep -qE 'sglang[. ](launch_server|serve)|sglang/|lmsysorg/sglang' -- "$file" || continue
  checked=$((checked + 1))
  code=0
  if [[ $SGLINT_FORMAT == sarif ]]; then
    "$sglint" check "$file" "${options[@]}" >"$folder/sarif/$checked.sarif" || code=$?
    ((code < 2)) || rm -f "$folder/sarif/$checked.sarif"
  else
    "$sglint" check "$file" "${options[@]}" || code=$?
  fi
  ((code <= worst)) || worst=$code
done

printf 'sglint: %d files checked\n' "$checked"
if [[ -n ${GITHUB_OUTPUT:-} ]]; then
  printf 'checked=%d\nsarif-folder=%s\n' "$checked" "$([[ $SGLINT_FORMAT == sarif ]] && echo "$folder/sarif")" >>"$GITHUB_OUTPUT"
fi
[[ $SGLINT_FAIL_ON != never || $worst == 2 ]] || exit 0
exit "$worst"
