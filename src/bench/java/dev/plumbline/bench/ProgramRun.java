package dev.plumbline.bench;

import java.io.File;
import java.io.IOException;
import java.util.List;

/**
 * What one run of a program took.
 *
 * @param exitCode 0 if all went well
 */
record ProgramRun(double seconds, double cpuMillis, int exitCode) {

    /**
     * Runs it to its end.
     *
     * @param output takes what it prints
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
