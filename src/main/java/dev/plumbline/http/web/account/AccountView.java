package dev.plumbline.http.web.account;

import dev.plumbline.account.ApiKey;
import dev.plumbline.account.AuthenticatedUser;
import dev.plumbline.account.Scope;
import dev.plumbline.account.Session;
import dev.plumbline.http.web.layout.DisplayText;
import dev.plumbline.http.web.layout.FormErrors;
import dev.plumbline.http.web.layout.ValueFormat;
import dev.plumbline.http.web.report.DisplayValue;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the account page shows.
 *
 * @param done what has just been done; null: nothing
 * @param usage null where it is not known just now
 */
public record AccountView(
        String email,
        String plan,
        boolean pro,
        DisplayValue.Moment since,
        List<Key> keys,
        int liveKeys,
        int mostKeys,
        KeyForm keyForm,
        List<Place> places,
        FormErrors password,
        @Nullable UsageView usage,
        @Nullable String done) {

    /**
     * A key.
     *
     * @param name as somebody called it
     * @param badge how its state looks: {@code pass}, {@code warn} or {@code error}
     */
    public record Key(
            long id,
            DisplayText name,
            String prefix,
            List<String> scopes,
            DisplayValue.Moment created,
            DisplayValue.@Nullable Moment used,
            DisplayValue.@Nullable Moment expires,
            String state,
            String badge,
            boolean live) {

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
                    moment(key.createdAt()),
                    key.lastUsedAt() == null ? null : moment(key.lastUsedAt()),
                    expiry == null ? null : moment(expiry),
                    revoked ? "revoked" : expired ? "expired" : soon ? "expires soon" : "live",
                    revoked || expired ? "error" : soon ? "warn" : "pass",
                    !revoked && !expired);
        }
    }

    /**
     * The form for a new key.
     *
     * @param days after which it expires; empty for never
     */
    public record KeyForm(String name, List<String> scopes, String days, FormErrors wrong) {
        static final KeyForm EMPTY = new KeyForm("", Scope.ids(), "", FormErrors.NOTHING);

        public boolean has(String scope) {
            return scopes.contains(scope);
        }
    }

    /** Where somebody is signed in. */
    public record Place(
            long id,
            boolean here,
            String browser,
            DisplayText client,
            String address,
            DisplayValue.Moment began,
            DisplayValue.Moment used) {

        static Place of(Session session, AuthenticatedUser who) {
            return new Place(
                    session.id(),
                    session.id() == who.session().id(),
                    UserAgentLabel.name(session.client()),
                    DisplayText.of(session.client()),
                    session.address(),
                    moment(session.createdAt()),
                    moment(session.usedAt()));
        }
    }

    static DisplayValue.Moment moment(Instant at) {
        return ValueFormat.moment(at.truncatedTo(ChronoUnit.SECONDS).toString());
    }
}
