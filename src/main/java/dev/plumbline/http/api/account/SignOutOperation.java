package dev.plumbline.http.api.account;

import dev.plumbline.http.ApiOperation;
import io.vertx.ext.web.RoutingContext;

/** {@code DELETE /api/v1/session}: ends the current session. Idempotent. */
final class SignOutOperation implements ApiOperation {
    private final AccountService calls;

    SignOutOperation(AccountService calls) {
        this.calls = calls;
    }

    @Override
    public String operationId() {
        return "signOut";
    }

    @Override
    public void handle(RoutingContext ctx) {
        calls.people().visitor(ctx, who -> calls.signOut(ctx, who, () -> AccountResponses.nothing(ctx)));
    }
}
