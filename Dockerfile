FROM maven:3.9-eclipse-temurin-17 AS build
WORKDIR /build
COPY pom.xml .
COPY .mvn .mvn
COPY conf conf
COPY src src
RUN mvn -q -B -DskipTests package

FROM eclipse-temurin:17-jre
RUN useradd --system --uid 10001 --home-dir /var/lib/plumbline --create-home plumbline
COPY --from=build /build/target/plumbline.jar /opt/plumbline/plumbline.jar
USER plumbline
WORKDIR /var/lib/plumbline
VOLUME /var/lib/plumbline
ENV PLUMBLINE_HTTP_HOST=0.0.0.0 \
    PLUMBLINE_DATA_DIR=/var/lib/plumbline/data \
    JAVA_OPTS="-XX:+UseSerialGC -Xms32m -Xmx128m -XX:MaxDirectMemorySize=64m -XX:+ExitOnOutOfMemoryError"
EXPOSE 8080 9090
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/9090 && printf 'GET /health/ready HTTP/1.0\\r\\n\\r\\n' >&3 && head -n 1 <&3 | grep -q ' 200 '"]
ENTRYPOINT ["sh", "-c", "exec java $JAVA_OPTS -jar /opt/plumbline/plumbline.jar \"$@\"", "plumbline"]
