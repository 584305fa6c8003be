# Build: docker build -t plumbline .
# Run:   docker run -p 8080:8080 -v plumbline:/var/lib/plumbline --stop-timeout 40 plumbline
FROM maven:3.9.9-eclipse-temurin-17 AS build
WORKDIR /build
COPY pom.xml .
COPY .mvn .mvn
COPY conf conf
COPY src src
RUN mvn -q -B -DskipTests package

FROM eclipse-temurin:17.0.13_11-jre
RUN useradd --system --uid 10001 --home-dir /var/lib/plumbline --create-home plumbline
COPY --from=build /build/target/plumbline.jar /build/conf/jvm.options /opt/plumbline/
USER plumbline
WORKDIR /var/lib/plumbline
VOLUME /var/lib/plumbline
ENV PLUMBLINE_HTTP_HOST=0.0.0.0 \
    PLUMBLINE_DATA_DIR=/var/lib/plumbline/data \
    MALLOC_ARENA_MAX=2
# 8080: HTTP. 9090: health and metrics, on loopback unless PLUMBLINE_MANAGEMENT_HOST is set.
EXPOSE 8080 9090
# Uses bash, so the image does not need an HTTP client.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/9090 && printf 'GET /health/ready HTTP/1.0\\r\\n\\r\\n' >&3 && head -n 1 <&3 | grep -q ' 200 '"]
ENTRYPOINT ["java", "@/opt/plumbline/jvm.options", "-jar", "/opt/plumbline/plumbline.jar"]
