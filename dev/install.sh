#!/bin/sh
# Installs what package-lock.json names, unless that is what is installed; one install at a time, however many starts there are.
set -eu
cd "$(dirname "$0")/.."
want="$(cksum < package-lock.json) $(uname -sm)"
installed() { [ "$(cat node_modules/.installed 2>/dev/null)" = "$want" ]; }

# A symbolic link is made in one step together with what it says: the process id of its owner.
lock=.dev/install.lock
release() { [ "$(readlink "$lock" 2>/dev/null)" != $$ ] || rm -f "$lock"; }
acquire() {
  mkdir -p .dev
  said=
  until ln -s $$ "$lock" 2>/dev/null; do
    owner=$(readlink "$lock" 2>/dev/null) || continue
    if kill -0 "$owner" 2>/dev/null; then
      [ -n "$said" ] || echo "Waiting for another install (process $owner) ..." >&2
      said=yes
      sleep 1
    elif mv "$lock" "$lock.$$" 2>/dev/null; then
      # Somebody may have been quicker, and then this is a living owner's lock: give it back.
      [ "$(readlink "$lock.$$")" = "$owner" ] || ln -s "$(readlink "$lock.$$")" "$lock" 2>/dev/null || true
      rm -f "$lock.$$"
    fi
  done
}

if ! installed; then
  trap release EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  trap 'exit 129' HUP
  acquire
  if ! installed; then
    echo "Installing dependencies (npm ci; one to three minutes the first time) ..." >&2
    # npm's own Node and npm, by path: `node` on the path is about to be deleted and made anew.
    "${npm_node_execpath:-node}" "${npm_execpath:?run me through npm}" ci --include=dev --include=optional --no-audit --no-fund --loglevel=error >&2
    echo "$want" > node_modules/.installed
  fi
  release
fi
node -e 'const [a, b] = process.versions.node.split(".").map(Number); if (a < 22 || (a === 22 && b < 18)) { console.error(`Node ${process.version} is too old and node_modules holds no newer one for ${process.platform}-${process.arch}: install Node 24`); process.exit(1) }'
