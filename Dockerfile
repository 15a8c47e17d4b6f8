# One image for the API, the workers and the migrations, started by different commands. Only the console is built.
FROM node:24-slim AS console
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The workspaces client and examples/shop have no manifest here: npm leaves them out, as nothing of them is installed.
COPY console/package.json console/
RUN npm ci --workspace tillwright-console --no-audit --no-fund
COPY client client
COPY console console
RUN node node_modules/vite/bin/vite.js build console

FROM node:24-slim
# Temporal's client uses the system's certificates.
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY console/package.json console/
# The Node of the lock file is for machines with an older one. This image has its own.
RUN npm ci --omit=dev --no-audit --no-fund && rm -rf node_modules/node-linux-* node_modules/.bin/node && npm cache clean --force
COPY . .
COPY --from=console /app/console/dist console/dist
# A volume that is mounted here gets this owner.
RUN mkdir -p /var/lib/tillwright/media && chown -R node:node /var/lib/tillwright
# A worker has thirty threads. With an arena for each, the C library would keep 200 MB unused.
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=131072
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 MEDIA_DIR=/var/lib/tillwright/media
USER node
EXPOSE 8080
# A worker has no port: its service disables the check.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Without limits V8 uses twice the memory at the same rate.
CMD ["node", "--max-semi-space-size=8", "--max-old-space-size=384", "api/main.ts"]
