// DocumentationSamples: the samples of the articles in Tsubame.docc, compiled and run. Scripts/lint/check-samples.py
// compares the two.

import Testing

/// Each article, or each of its parts, has one test in a file named after the article. Where an article says
/// `https://api.example.com`, the test has a server on loopback.
@Suite(.timeLimit(.minutes(2))) struct DocumentationSamples {}
