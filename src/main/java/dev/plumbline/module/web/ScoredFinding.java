package dev.plumbline.module.web;

import dev.plumbline.check.FindingCode;

/**
 * A finding of {@link SecurityHeaders} and its price.
 *
 * @param points what it takes off the score of 100
 */
record ScoredFinding(int points, FindingCode code) {}
