package dev.plumbline.bench;

import java.io.File;
import java.io.IOException;
import java.util.List;

/**
 * The result of a program run.
 *
 * @param exitCode 0: success
 */
record ProgramRun(double seconds, double cpuMillis, int exitCode) {

    /**
     * Runs a program and waits for its end.
     *
     * @param output file for its output
     */
    static ProgramRun of(List<String> command, File output) throws IOException, InterruptedException {
        long self = ProcessHandle.current().pid();
        long cpuBefore = ProcFiles.endedChildrenCpuMillis(self);
        long began = System.nanoTime();
        Process process = new ProcessBuilder(command)
                .redirectInput(new File("/dev/null"))
                .redirectOutput(output)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            int code = process.waitFor();
            double seconds = (System.nanoTime() - began) / 1e9;
            return new ProgramRun(seconds, ProcFiles.endedChildrenCpuMillis(self) - cpuBefore, code);
        } finally {
            process.destroyForcibly();
        }
    }
}
