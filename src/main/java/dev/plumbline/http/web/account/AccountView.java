package dev.plumbline.http.web.account;

import dev.plumbline.account.ApiKey;
import dev.plumbline.account.AuthenticatedUser;
import dev.plumbline.account.Scope;
import dev.plumbline.account.Session;
import dev.plumbline.http.web.layout.DisplayFormat;
import dev.plumbline.http.web.layout.DisplayText;
import dev.plumbline.http.web.layout.DisplayValue;
import dev.plumbline.http.web.layout.FormErrors;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The data of the account page.
 *
 * @param password the errors of the password form
 * @param usage null if unavailable
 * @param notice the message about a completed action, or null
 */
public record AccountView(
        String email,
        String plan,
        boolean pro,
        DisplayValue.Timestamp createdAt,
        List<Key> keys,
        int activeKeys,
        int maxKeys,
        KeyForm keyForm,
        List<SessionView> sessions,
        FormErrors password,
        @Nullable UsageView usage,
        @Nullable String notice) {

    /**
     * An API key.
     *
     * @param lastUsedAt null if never used
     * @param expiresAt null if it does not expire
     * @param badge the style of the state: {@code pass}, {@code warn} or {@code error}
     * @param active neither revoked nor expired
     */
    public record Key(
            long id,
            DisplayText name,
            String prefix,
            List<String> scopes,
            DisplayValue.Timestamp createdAt,
            DisplayValue.@Nullable Timestamp lastUsedAt,
            DisplayValue.@Nullable Timestamp expiresAt,
            String state,
            String badge,
            boolean active) {

        static Key of(ApiKey key, Instant now) {
            boolean revoked = key.revokedAt() != null;
            Instant expiry = key.expiresAt();
            boolean expired = expiry != null && !expiry.isAfter(now);
            boolean soon = expiry != null && expiry.isBefore(now.plus(7, ChronoUnit.DAYS));
            return new Key(
                    key.id(),
                    DisplayText.of(key.name()),
                    key.prefix(),
                    key.scopes().stream().map(Scope::id).sorted().toList(),
                    timestamp(key.createdAt()),
                    key.lastUsedAt() == null ? null : timestamp(key.lastUsedAt()),
                    expiry == null ? null : timestamp(expiry),
                    revoked ? "revoked" : expired ? "expired" : soon ? "expires soon" : "active",
                    revoked || expired ? "error" : soon ? "warn" : "pass",
                    !revoked && !expired);
        }
    }

    /**
     * The form for a new key.
     *
     * @param days the lifetime in days; empty for a key that does not expire
     */
    public record KeyForm(String name, List<String> scopes, String days, FormErrors errors) {
        static final KeyForm EMPTY = new KeyForm("", Scope.ids(), "", FormErrors.NONE);

        public boolean has(String scope) {
            return scopes.contains(scope);
        }
    }

    /**
     * A session of the account.
     *
     * @param userAgent the {@code User-Agent} of the sign-in
     */
    public record SessionView(
            long id,
            boolean current,
            String browser,
            DisplayText userAgent,
            String address,
            DisplayValue.Timestamp createdAt,
            DisplayValue.Timestamp lastUsedAt) {

        static SessionView of(Session session, AuthenticatedUser user) {
            return new SessionView(
                    session.id(),
                    session.id() == user.session().id(),
                    UserAgentLabel.of(session.client()),
                    DisplayText.of(session.client()),
                    session.address(),
                    timestamp(session.createdAt()),
                    timestamp(session.usedAt()));
        }
    }

    static DisplayValue.Timestamp timestamp(Instant at) {
        return DisplayFormat.timestamp(at.truncatedTo(ChronoUnit.SECONDS).toString());
    }
}
