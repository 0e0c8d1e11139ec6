# syntax=docker/dockerfile:1

FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY tsconfig.json ./
COPY src ./src
RUN npm run build:program

FROM node:24-slim
LABEL org.opencontainers.image.title="unskew" \
      org.opencontainers.image.description="Live, debiased offline metrics for recommender systems: Kafka in, Prometheus out." \
      org.opencontainers.image.licenses="Apache-2.0"
# It listens to other machines, so `serve` starts only with UNSKEW_HTTP_TOKEN, or with
# UNSKEW_HTTP_AUTH=none where everyone who reaches the port may read.
ENV NODE_ENV=production \
    UNSKEW_HTTP_HOST=0.0.0.0 \
    UNSKEW_HTTP_PORT=9464
WORKDIR /app
COPY --from=build /app/dist ./dist
COPY package.json LICENSE ./
COPY docs/codes.md ./docs/
# The base's `node`, in numbers: Kubernetes cannot tell from a name that it is not root.
USER 1000:1000
EXPOSE 9464
HEALTHCHECK --interval=15s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.UNSKEW_HTTP_PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/main.js"]
CMD ["serve"]
