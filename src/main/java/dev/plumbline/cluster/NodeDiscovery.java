package dev.plumbline.cluster;

import com.hazelcast.cluster.Address;
import com.hazelcast.config.properties.PropertyDefinition;
import com.hazelcast.logging.ILogger;
import com.hazelcast.spi.discovery.AbstractDiscoveryStrategy;
import com.hazelcast.spi.discovery.DiscoveryNode;
import com.hazelcast.spi.discovery.DiscoveryStrategy;
import com.hazelcast.spi.discovery.DiscoveryStrategyFactory;
import com.hazelcast.spi.discovery.SimpleDiscoveryNode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds the members of the cluster in the database. */
final class NodeDiscovery implements DiscoveryStrategyFactory {
    private static final Logger LOG = LoggerFactory.getLogger(NodeDiscovery.class);

    private final Supplier<List<String>> names;

    /** @param names supplies the names of all nodes, {@code address:port}; blocks */
    NodeDiscovery(Supplier<List<String>> names) {
        this.names = names;
    }

    @Override
    public Class<? extends DiscoveryStrategy> getDiscoveryStrategyType() {
        return Strategy.class;
    }

    @Override
    @SuppressWarnings("rawtypes") // as declared by the interface
    public DiscoveryStrategy newDiscoveryStrategy(
            DiscoveryNode self, ILogger logger, Map<String, Comparable> properties) {
        return new Strategy(logger, names);
    }

    @Override
    public Collection<PropertyDefinition> getConfigurationProperties() {
        return List.of();
    }

    private static final class Strategy extends AbstractDiscoveryStrategy {
        private final Supplier<List<String>> names;

        Strategy(ILogger logger, Supplier<List<String>> names) {
            super(logger, Map.of());
            this.names = names;
        }

        @Override
        public Iterable<DiscoveryNode> discoverNodes() {
            List<DiscoveryNode> nodes = new ArrayList<>();
            for (String name : names.get()) {
                try {
                    nodes.add(new SimpleDiscoveryNode(address(name)));
                } catch (UnknownHostException | IllegalArgumentException | IndexOutOfBoundsException invalid) {
                    LOG.atWarn().addKeyValue("node", name).log("invalid node address ignored");
                }
            }
            return nodes;
        }

        private static Address address(String name) throws UnknownHostException {
            int colon = name.lastIndexOf(':');
            // Hazelcast does not start with an invalid port
            InetSocketAddress socket = new InetSocketAddress(
                    InetAddress.getByName(name.substring(0, colon)), Integer.parseInt(name.substring(colon + 1)));
            return new Address(socket);
        }
    }
}
