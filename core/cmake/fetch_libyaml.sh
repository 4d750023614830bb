#!/bin/sh
# Puts Debian's libyaml source package under FOLDER/libyaml-0.2.5, using the mirror that apt is
# configured with: its binary entries are read as source entries in a private list, so that the
# system's own lists stay as they are. Needs no root.
#   fetch_libyaml.sh FOLDER
set -eu
folder=$1
mkdir -p "$folder/parts" "$folder/lists/partial" "$folder/cache"
folder=$(cd "$folder" && pwd)
[ -e "$folder/libyaml-0.2.5/src/parser.c" ] && exit 0

# Debian's own entries only: a vendor's repository rarely has sources.
: > "$folder/parts/source.list"
for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
  if [ -f "$list" ]; then sed -n '/ main/s/^deb /deb-src /p' "$list" >> "$folder/parts/source.list"; fi
done
for list in /etc/apt/sources.list.d/*.sources; do
  if [ -f "$list" ]; then
    awk 'BEGIN { RS = ""; ORS = "\n\n" } /Components:[^\n]*main/ && !/Suites:[^\n]*security/ { sub(/Types:[^\n]*/, "Types: deb-src"); print }' \
      "$list" > "$folder/parts/$(basename "$list")"
  fi
done

quiet_apt() {
  apt-get -q -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$folder/parts" \
    -o Dir::State::Lists="$folder/lists" -o Dir::Cache="$folder/cache" -o APT::Sandbox::User="$(id -un)" "$@"
}
quiet_apt update >&2
cd "$folder"
quiet_apt source --download-only libyaml >&2  # apt checks the signature and the sums
tar xf libyaml_0.2.5.orig.tar.gz              # Debian's patches do not touch the sources
rm -rf "$folder/lists" "$folder/cache"
[ -e "$folder/libyaml-0.2.5/src/parser.c" ]
