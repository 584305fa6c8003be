package dev.plumbline.http.api;

import dev.plumbline.account.Accounts;
import dev.plumbline.account.KeyCreation;
import dev.plumbline.account.KeyWish;
import dev.plumbline.account.Scope;
import dev.plumbline.account.SignedIn;
import dev.plumbline.http.JsonBody;
import dev.plumbline.http.Operation;
import dev.plumbline.http.Problem;
import dev.plumbline.http.Problems;
import dev.plumbline.http.SessionAuthentication;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** {@code POST /api/v1/keys}: makes a key and shows it, this once. */
final class CreateKeyOperation implements Operation {
  static final String ID = "createKey";

  private static final Duration FARTHEST = Duration.ofDays(36_525);

  private final Accounts accounts;
  private final SessionAuthentication people;
  private final JsonBody body;
  private final Problems problems;
  private final Clock clock;

  CreateKeyOperation(
      Accounts accounts,
      SessionAuthentication people,
      JsonBody body,
      Problems problems,
      Clock clock) {
    this.accounts = accounts;
    this.people = people;
    this.body = body;
    this.problems = problems;
    this.clock = clock;
  }

  @Override
  public String operationId() {
    return ID;
  }

  @Override
  public void handle(RoutingContext ctx) {
    if (!Negotiation.acceptsJson(ctx)) {
      ctx.fail(406);
      return;
    }
    people.signedIn(
        ctx,
        before ->
            body.read(
                ctx, given -> people.stillSignedIn(ctx, before, who -> create(ctx, who, given))));
  }

  private void create(RoutingContext ctx, SignedIn who, JsonObject given) {
    List<Problem.Fault> faults = new ArrayList<>();
    String name = given.getString("name");
    String nameFault = KeyWish.nameFault(name);
    if (nameFault != null) {
      faults.add(Problem.Fault.pointer("/name", nameFault));
    }
    Instant expiresAt = expiresAt(given);
    if (expiresAt != null && !expiresAt.isAfter(clock.instant())) {
      faults.add(Problem.Fault.pointer("/expires_at", "is not in the future"));
    } else if (expiresAt != null && expiresAt.isAfter(clock.instant().plus(FARTHEST))) {
      faults.add(Problem.Fault.pointer("/expires_at", "is over 100 years away; leave it out"));
    }
    if (!faults.isEmpty()) {
      problems.send(ctx, JsonBody.invalid(faults));
      return;
    }
    accounts
        .createKey(who.account().id(), new KeyWish(name, scopes(given), expiresAt))
        .onSuccess(creation -> answer(ctx, creation))
        .onFailure(ctx::fail);
  }

  private static @Nullable Instant expiresAt(JsonObject given) {
    String text = given.getString("expires_at");
    return text == null ? null : OffsetDateTime.parse(text).toInstant();
  }

  private static Set<Scope> scopes(JsonObject given) {
    JsonArray wanted = given.getJsonArray("scopes");
    return wanted == null
        ? EnumSet.allOf(Scope.class)
        : wanted.stream()
            .map(id -> Scope.of((String) id))
            .filter(Objects::nonNull)
            .collect(Collectors.toSet());
  }

  private void answer(RoutingContext ctx, KeyCreation creation) {
    if (creation instanceof KeyCreation.Created created) {
      OwnAnswers.json(ctx, 201, OwnAnswers.json(created.key()).put("key", created.secret()));
    } else if (creation instanceof KeyCreation.TooMany) {
      problems.send(
          ctx,
          Problem.of(
              409,
              "too-many-keys",
              "The account has all the keys that it may have",
              "An account has at most "
                  + Accounts.MOST_KEYS
                  + " live keys; revoke one that is not used any more."));
    } else {
      problems.send(ctx, Problem.notFound("The account is gone."));
    }
  }
}
