package dev.plumbline.lab;

import java.io.IOException;
import java.net.BindException;
import java.net.DatagramSocket;
import java.net.ServerSocket;

/**
 * The ports of the servers of a lab, in the order in which they start: free ones, or consecutive ones, so that each
 * server has the same port after each start.
 */
public final class LabPorts {
    /** Number of consecutive ports that are reserved for a lab. */
    public static final int COUNT = 200;

    /** 0: free ports. */
    private final int base;

    private int used;

    private LabPorts(int base) {
        this.base = base;
    }

    /** Ports that the operating system selects. */
    public static LabPorts free() {
        return new LabPorts(0);
    }

    /**
     * Consecutive ports.
     *
     * @param base the first of {@link #COUNT} ports
     * @throws BindException if another process uses one of them
     */
    public static LabPorts from(int base) throws BindException {
        for (int port = base; port < base + COUNT; port++) {
            if (!isFree(port)) {
                throw new BindException("Port " + port + " is in use. The test lab needs the ports " + base + " to "
                        + (base + COUNT - 1) + ". Stop the program that uses it, or select others with --port-base.");
            }
        }
        return new LabPorts(base);
    }

    /** The port on which the next server listens; 0: the operating system selects it. */
    int next() {
        return base == 0 ? 0 : reserve();
    }

    /** A port on which no server listens. */
    int unused() {
        return base == 0 ? FreePorts.next() : reserve();
    }

    private synchronized int reserve() {
        if (used == COUNT) {
            throw new IllegalStateException("more than " + COUNT + " ports");
        }
        return base + used++;
    }

    /** Whether no process uses the port on any address, for TCP and UDP. */
    static boolean isFree(int port) {
        try (ServerSocket tcp = new ServerSocket(port);
                DatagramSocket udp = new DatagramSocket(port)) {
            return tcp.isBound() && udp.isBound();
        } catch (IOException taken) {
            return false;
        }
    }
}
