package dev.plumbline.scenario;

import java.util.concurrent.TimeUnit;

/** A program that keeps the CPU busy. Arguments: number of threads, seconds. */
public final class BusyThreads {
    private BusyThreads() {}

    public static void main(String[] arguments) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(Long.parseLong(arguments[1]));
        for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
            new Thread(() -> {
                        while (System.nanoTime() < end) {
                            Thread.onSpinWait();
                        }
                    })
                    .start();
        }
    }
}
