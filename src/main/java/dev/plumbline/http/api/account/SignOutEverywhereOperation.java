package dev.plumbline.http.api.account;

import dev.plumbline.http.ApiOperation;
import io.vertx.ext.web.RoutingContext;

/** {@code DELETE /api/v1/sessions}: ends all sessions of the account. */
final class SignOutEverywhereOperation implements ApiOperation {
    private final AccountService calls;

    SignOutEverywhereOperation(AccountService calls) {
        this.calls = calls;
    }

    @Override
    public String operationId() {
        return "signOutEverywhere";
    }

    @Override
    public void handle(RoutingContext ctx) {
        calls.people().signedIn(ctx, who -> calls.signOutEverywhere(ctx, who, () -> AccountResponses.nothing(ctx)));
    }
}
