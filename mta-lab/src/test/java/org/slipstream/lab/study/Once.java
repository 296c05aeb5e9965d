package org.slipstream.lab.study;

import org.slipstream.lab.study.Study.Result;

import java.util.List;

/// The measurements that several tests look at, made once.
final class Once {
    static final List<Result> LIMITER = Studies.LIMITER.measure(_ -> {});
    static final List<Result> CONNECT = Studies.CONNECT.measure(_ -> {});
    static final List<Result> GREETING = Studies.GREETING.measure(_ -> {});

    static final List<Result> BALANCER = Studies.BALANCER.measure(_ -> {});

    private Once() {}

    static List<Result> of(Study study) {
        return switch (study.name()) {
            case "limiter" -> LIMITER;
            case "connect" -> CONNECT;
            case "greeting" -> GREETING;
            case "balancer" -> BALANCER;
            default -> study.measure(_ -> {});
        };
    }
}
