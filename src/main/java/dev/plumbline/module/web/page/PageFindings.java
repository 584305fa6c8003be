package dev.plumbline.module.web.page;

import dev.plumbline.sheet.FindingCollector;
import dev.plumbline.target.Target;

/** The findings of every module that evaluates an HTML page. */
public interface PageFindings extends FindingCollector {
    void notAPage(int status, int bytes, String type);

    void errorPage(int status);

    void pageTruncated();

    void redirected(Target.Url url);
}
