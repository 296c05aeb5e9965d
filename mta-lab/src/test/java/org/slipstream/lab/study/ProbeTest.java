package org.slipstream.lab.study;
import org.junit.jupiter.api.Test;
class ProbeTest {
    @Test
    void probe() {
        for (Study s : Studies.all()) {
            long t = System.nanoTime();
            for (Study.Result r : s.measure()) {
                System.out.println("PROBE " + s.name() + " " + r.row().setup().style() + " " + r.row().setup().cached()
                        + " " + r.row().published() + "\n PROBE   " + r.mean());
                System.out.println(" PROBE   min "
                        + r.runs().stream().mapToDouble(Measured::deferredPercent).min().orElseThrow() + " max "
                        + r.runs().stream().mapToDouble(Measured::deferredPercent).max().orElseThrow());
            }
            System.out.println("PROBE millis " + (System.nanoTime() - t) / 1000000);
        }
        for (int q : new int[]{5, 6, 7, 8})
            for (var row : Studies.CONNECT.rows()) {
                var m = Measured.mean(Studies.CONNECT
                        .measure(row.setup().with(new Door.Congested(5, q, Door.Overflow.SYN_IS_DROPPED))));
                System.out.println("PROBE q " + q + " " + row.setup().style() + " " + row.setup().cached() + " " + m);
            }
    }
}
