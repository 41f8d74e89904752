// DocumentationSamples: the samples of the articles in Tsubame.docc, compiled and run. Scripts/check-samples.py holds the two together.

import Testing

/// One test for an article, or for each of its parts, in a file of the article's name; where an article says
/// `https://api.example.com`, the test has a server on loopback.
@Suite(.timeLimit(.minutes(2))) struct DocumentationSamples {}
