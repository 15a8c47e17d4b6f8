#!/bin/sh
# Installs the packages of package-lock.json unless they are installed. Concurrent starts wait for one install.
set -eu
cd "$(dirname "$0")/.."
want="$(cksum < package-lock.json) $(uname -sm)"
# The packages of one workspace alone are in a folder of its own, which a copied or restored `node_modules` lacks.
own=$(sed -n '/^    "node_modules\//d; s/^    "\(.*\/node_modules\/.*\)": {$/\1/p' package-lock.json)
installed() {
  [ "$(cat node_modules/.installed 2>/dev/null)" = "$want" ] || return 1
  for package in $own; do [ -e "$package" ] || return 1; done
}

# A symbolic link is created atomically with its content: the process id of the owner.
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
      # Another process may have taken the lock in between: give a live owner's lock back.
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
    # By path: `npm ci` deletes the `node` that is on the PATH.
    "${npm_node_execpath:-node}" "${npm_execpath:?run me through npm}" ci --include=dev --include=optional --no-audit --no-fund --loglevel=error >&2
    echo "$want" > node_modules/.installed
  fi
  release
fi
node -e 'const [a, b] = process.versions.node.split(".").map(Number); if (a < 22 || (a === 22 && b < 18)) { console.error(`Node ${process.version} is too old and node_modules holds no newer one for ${process.platform}-${process.arch}: install Node 24`); process.exit(1) }'
