package org.slipstream.lab.study;

import org.slipstream.lab.study.Study.StudyResult;

import java.util.List;

/// The results that several tests check, measured once.
final class SharedStudyResults {
    static final List<StudyResult> LIMITER = Studies.LIMITER.measure(_ -> {});
    static final List<StudyResult> CONNECT = Studies.CONNECT.measure(_ -> {});
    static final List<StudyResult> GREETING = Studies.GREETING.measure(_ -> {});
    static final List<StudyResult> BALANCER = Studies.BALANCER.measure(_ -> {});

    private SharedStudyResults() {}

    static List<StudyResult> of(Study study) {
        return switch (study.name()) {
            case "limiter" -> LIMITER;
            case "connect" -> CONNECT;
            case "greeting" -> GREETING;
            case "balancer" -> BALANCER;
            default -> study.measure(_ -> {});
        };
    }
}
