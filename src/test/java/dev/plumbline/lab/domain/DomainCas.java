package dev.plumbline.lab.domain;

import dev.plumbline.lab.TestCa;

/**
 * The certificate authorities of the lab.
 *
 * @param root must be trusted
 * @param issuer subordinate to the root
 * @param unknown a root that is not trusted
 */
record DomainCas(TestCa root, TestCa issuer, TestCa unknown) {
    static DomainCas create() {
        TestCa root = TestCa.root("Lab Root");
        return new DomainCas(root, root.authority("Lab Issuer"), TestCa.root("Unknown Root"));
    }
}
