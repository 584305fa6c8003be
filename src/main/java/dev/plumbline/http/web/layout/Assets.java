package dev.plumbline.http.web.layout;

import com.google.common.hash.Hashing;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Style sheets, scripts and pictures. The name of each carries a hash of its content, so that it
 * may be kept for ever; each is read and compressed once, at the start.
 */
public final class Assets {
    static final String FOLDER = "/assets/";
    private static final int HASH_DIGITS = 12;
    private static final String FILES = "/web/";

    private final Map<String, String> paths = new HashMap<>();
    private final Map<String, Asset> byFile = new HashMap<>();

    /** One of them; shared, never to be written to. */
    record Asset(String type, Buffer plain, Buffer gzip) {}

    /** All that our pages use. What only some of them use is sent only where they name it. */
    public static Assets load() {
        Assets assets = new Assets();
        assets.add("site.css");
        assets.add("site.js");
        assets.add("bulk.js");
        assets.add("job.js");
        assets.add("favicon.svg");
        return assets;
    }

    private Assets() {}

    /** A file of src/main/resources/web. */
    private void add(String name) {
        byte[] bytes = read(FILES + name);
        String hash = Hashing.sha256().hashBytes(bytes).toString().substring(0, HASH_DIGITS);
        int dot = name.lastIndexOf('.');
        String file = name.substring(0, dot) + '.' + hash + name.substring(dot);
        paths.put(name, FOLDER + file);
        byFile.put(
                file,
                new Asset(type(name.substring(dot + 1)), Buffer.buffer(bytes), Buffer.buffer(GzipEncoder.best(bytes))));
    }

    /**
     * Where an asset is.
     *
     * @param name for example {@code site.css}
     */
    String path(String name) {
        String path = paths.get(name);
        if (path == null) {
            throw new IllegalArgumentException("there is no asset " + name);
        }
        return path;
    }

    /** The asset whose file is called so, its hash included; null if there is none. */
    @Nullable
    Asset file(String name) {
        return byFile.get(name);
    }

    private static String type(String ending) {
        return switch (ending) {
            case "css" -> "text/css; charset=utf-8";
            case "js" -> "text/javascript; charset=utf-8";
            case "svg" -> "image/svg+xml";
            default -> throw new IllegalArgumentException("no asset ends in ." + ending);
        };
    }

    private static byte[] read(String resource) {
        try (InputStream in = Assets.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException(resource + " is missing from the program");
            }
            return in.readAllBytes();
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }
}
