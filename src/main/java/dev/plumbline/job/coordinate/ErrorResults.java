package dev.plumbline.job.coordinate;

import dev.plumbline.check.ResultAssembler;
import dev.plumbline.job.store.WorkStore;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.RenderedResult;
import dev.plumbline.result.ResultJson;
import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.TargetParser;
import java.time.Clock;

/** The results of lines that end with an error without a check. */
record ErrorResults(Clock clock) {
    /** The result of a line whose target is not known. */
    CheckResult withoutTarget(Chunk chunk, CheckError error) {
        return ResultAssembler.withoutTarget(chunk.module(), error, clock.instant());
    }

    CheckResult of(PendingLine line, CheckError error) {
        return ResultAssembler.failed(line.chunk().module(), line.target(), error, clock.instant(), 0);
    }

    /** The result of a line whose own result cannot be stored. */
    WorkStore.LineResult ofRejectedResult(Chunk chunk, int index) {
        CheckError error =
                new CheckError(ErrorCode.INTERNAL, "The result could not be stored because of an internal error.");
        CheckResult result;
        try {
            String input = chunk.inputs().get(chunk.checks().indexOf(index));
            result = ResultAssembler.failed(
                    chunk.module(),
                    TargetParser.parse(chunk.module().targetRules(chunk.options()), input),
                    error,
                    clock.instant(),
                    0);
        } catch (InvalidTargetException | RuntimeException noTarget) {
            result = withoutTarget(chunk, error);
        }
        return new WorkStore.LineResult(
                chunk.id(), index, result.verdict().id(), RenderedResult.toLine(ResultJson.write(result), 0), null);
    }
}
