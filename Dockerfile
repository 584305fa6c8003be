# Build: docker build -t plumbline .
# Run:   docker run -p 8080:8080 -v plumbline:/var/lib/plumbline --stop-timeout 40 plumbline
# Other base images: --build-arg BUILD_IMAGE=… (Maven and JDK 25) --build-arg RUNTIME_IMAGE=… (Java 25 runtime)
ARG BUILD_IMAGE=docker.io/library/maven:3-eclipse-temurin-25
ARG RUNTIME_IMAGE=docker.io/library/eclipse-temurin:25-jre

FROM ${BUILD_IMAGE} AS build
WORKDIR /build
# Separate layer: dependencies are downloaded again only if pom.xml changes.
COPY pom.xml ./
COPY .mvn .mvn
RUN mvn -q -B dependency:resolve dependency:resolve-plugins
COPY README.md LICENSE ./
COPY conf conf
COPY src/main src/main
COPY src/docs/CHANGELOG.md src/docs/
RUN mvn -q -B -Dmaven.test.skip=true package

FROM ${RUNTIME_IMAGE} AS runtime
# A user that is not a system user gets a group with the same ID.
RUN useradd --uid 10001 --user-group --shell /usr/sbin/nologin --home-dir /var/lib/plumbline --create-home plumbline
COPY --from=build /build/target/plumbline.jar /build/target/plumbline.cdx.json /build/conf/jvm.options /opt/plumbline/
COPY --chmod=755 src/deploy/container/plumbline /usr/local/bin/plumbline
ENV PLUMBLINE_HTTP_HOST=0.0.0.0 \
    PLUMBLINE_MANAGEMENT_HOST=0.0.0.0 \
    PLUMBLINE_DATA_DIR=/var/lib/plumbline/data \
    MALLOC_ARENA_MAX=2

# Runs checks and the service with local targets and records the AOT cache. The cache is valid for this jar and this Java runtime only.
FROM runtime AS training
USER 10001:10001
WORKDIR /tmp
# Profiles of the second JIT compiler in the cache make the start and the first checks slower.
RUN java @/opt/plumbline/jvm.options -XX:TieredStopAtLevel=1 -XX:AOTCacheOutput=/tmp/plumbline.aot \
    -jar /opt/plumbline/plumbline.jar aot-training

FROM runtime
ARG RUNTIME_IMAGE
ARG VERSION=0.1.0
# Commit, URL of the repository, and time of the build (RFC 3339).
ARG REVISION=
ARG SOURCE=
ARG CREATED=
LABEL org.opencontainers.image.title="Plumbline" \
      org.opencontainers.image.description="Self-hosted service that checks domains and URLs, one at a time or in bulk" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.source="${SOURCE}" \
      org.opencontainers.image.created="${CREATED}" \
      org.opencontainers.image.base.name="${RUNTIME_IMAGE}" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=training --chown=0:0 /tmp/plumbline.aot /opt/plumbline/
# A number, because Kubernetes cannot verify runAsNonRoot for a name.
USER 10001:10001
WORKDIR /var/lib/plumbline
VOLUME /var/lib/plumbline
# 8080: HTTP. 9090: health and metrics. Publish port 9090 to the monitoring system only.
EXPOSE 8080 9090
STOPSIGNAL SIGTERM
# Uses bash, so the image does not need an HTTP client.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/9090 && printf 'GET /health/ready HTTP/1.0\\r\\n\\r\\n' >&3 && head -n 1 <&3 | grep -q ' 200 '"]
ENTRYPOINT ["plumbline"]
