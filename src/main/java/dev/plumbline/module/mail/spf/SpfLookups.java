package dev.plumbline.module.mail.spf;

import java.net.InetAddress;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The DNS responses for an evaluation. A response that is not available yet ends the evaluation. */
final class SpfLookups {
    /** The type of an A lookup of which only the existence of a record is used. */
    static final int EXISTS = -1;

    /** @param type a constant of {@link org.xbill.DNS.Type}, or {@link #EXISTS} */
    record Question(String name, int type) {}

    /** Whether a lookup succeeded. */
    enum Status {
        SUCCESS,

        /** The nameservers failed or did not respond. */
        FAILURE,

        /** The response is private. */
        PRIVATE,

        /** The check has made too many queries. */
        LIMIT,

        /** The name cannot be looked up. */
        INVALID_NAME
    }

    /**
     * A response.
     *
     * @param texts of TXT records
     * @param addresses of A and AAAA records
     * @param names of MX and PTR records
     */
    record Response(Status status, List<String> texts, List<InetAddress> addresses, List<String> names) {
        static Response of(Status status) {
            return new Response(status, List.of(), List.of(), List.of());
        }

        boolean isVoid() {
            return status == Status.SUCCESS && texts.isEmpty() && addresses.isEmpty() && names.isEmpty();
        }
    }

    /** Responses are missing. */
    static final class MissingException extends RuntimeException {
        private final transient Set<Question> questions;

        MissingException(Set<Question> questions) {
            super("responses are missing", null, false, false);
            this.questions = questions;
        }

        Set<Question> questions() {
            return questions;
        }
    }

    private final Map<Question, Response> responses = new HashMap<>();

    void add(Question question, Response response) {
        responses.put(question, response);
    }

    Response get(Question question) {
        require(List.of(question));
        return responses.getOrDefault(question, Response.of(Status.INVALID_NAME));
    }

    /** Fails unless all responses are available. */
    void require(Collection<Question> questions) {
        Set<Question> missing = new LinkedHashSet<>(questions);
        missing.removeAll(responses.keySet());
        if (!missing.isEmpty()) {
            throw new MissingException(missing);
        }
    }
}
