package org.slipstream.server;

import org.slipstream.admin.operations.Operations.DestinationView;
import org.slipstream.admin.operations.Operations.MessageView;
import org.slipstream.admin.operations.ServerLog;
import org.slipstream.admin.operations.ViewOperations.ShapeBy;
import org.slipstream.admin.operations.ViewOperations.ShapeRow;
import org.slipstream.cli.Cli;
import org.slipstream.cli.frame.CliContext;
import org.slipstream.cli.frame.ServerStarter;
import org.slipstream.cli.frame.StoppedServer;
import org.slipstream.cli.lab.LiveQueue;
import org.slipstream.cli.lab.QueueScenario;
import org.slipstream.cli.run.ProcessStop;
import org.slipstream.config.Config;
import org.slipstream.config.SettingsAgain;
import org.slipstream.core.queue.ReportKind;
import org.slipstream.lab.Scenario;
import org.slipstream.server.film.QueueWorlds.QueueWorld;
import org.slipstream.server.report.ReportTemplates;
import org.slipstream.server.view.QueueShape;
import org.slipstream.spool.Spool;
import org.slipstream.spool.tools.SpoolTools;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/// The process: starts the command line and gives it the server.
public final class Main {
    private Main() {}

    public static void main(String[] arguments) {
        CliContext world = new CliContext(System.in, utf8(FileDescriptor.out), utf8(FileDescriptor.err), new Starter(),
                new Stopped(), new ProcessStop());
        int exit = Cli.execute(world, arguments);
        world.out().flush();
        world.err().flush();
        System.exit(exit);
    }

    /// Mail addresses and JSON are UTF-8, whatever locale is set; containers often have none.
    private static PrintStream utf8(FileDescriptor descriptor) {
        return new PrintStream(new FileOutputStream(descriptor), true, StandardCharsets.UTF_8);
    }

    static final class Stopped implements StoppedServer {
        @Override
        public SpoolTools.CorruptOrder lostMailReports(Config config) {
            return LostMail.reports(config);
        }

        @Override
        public List<ShapeRow> shape(Spool spool, ShapeBy by, Spool.CommonRecords common) throws IOException {
            return QueueShape.of(spool, by, common, System.currentTimeMillis());
        }

        @Override
        public SequencedMap<String, String> reportTemplates() {
            SequencedMap<String, String> texts = new LinkedHashMap<>();
            ReportKind.words().forEach(name -> texts.put(name, ReportTemplates.bundled(name)));
            return texts;
        }
    }

    /// Beside [Stopped], the only place that loads the server's classes.
    private static final class Starter implements ServerStarter {
        /// As that of `lab what-if --delivery`.
        private static final long DELIVERY_MILLIS = 300;

        @Override
        public Start start(Config config) {
            return start(config, SettingsAgain.of(config), ServerLog.NONE);
        }

        @Override
        public Start start(Config config, SettingsAgain source, ServerLog log) {
            DeadThreads.watch();
            try {
                return new Start.Started(new RunningServer(Server.start(config, source, Starter::world, log)));
            } catch (StartFailure failure) {
                return new Start.Refused(String.valueOf(failure.getMessage()));
            }
        }

        private static QueueWorld world(String taken, List<MessageView> messages, List<DestinationView> destinations,
                Config present) {
            QueueScenario scenario = new QueueScenario(LiveQueue.of(taken, messages, destinations), present,
                    DELIVERY_MILLIS);
            return new QueueWorld() {
                @Override
                public Scenario under(Config settings) {
                    return scenario.under(settings);
                }

                @Override
                public List<String> assumptions() {
                    return scenario.assumptions();
                }
            };
        }

        @Override
        public Findings examine(Config config) {
            Preparation looked = Preparation.toCheck(config);
            return new Findings(looked.mistakes(), looked.remarks());
        }
    }

    private record RunningServer(Server server) implements ServerStarter.Running {
        @Override
        public Optional<InetSocketAddress> smtp() {
            return server.smtp();
        }

        @Override
        public Optional<InetSocketAddress> submission() {
            return server.submission();
        }

        @Override
        public Map<String, InetSocketAddress> furtherPorts() {
            return server.furtherPorts();
        }

        @Override
        public Path admin() {
            return server.admin();
        }

        @Override
        public void reload(String author) {
            server.reload(author);
        }

        @Override
        public void stop() {
            server.close();
        }
    }
}
