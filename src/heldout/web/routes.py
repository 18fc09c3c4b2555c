"""Which handler answers what."""

from __future__ import annotations

from heldout.web.pages import changes, datasets, leakage, pictures, slices
from heldout.web.site import Routes

ROUTES: Routes = {
    ("GET", "/"): datasets.home,
    ("GET", "/datasets"): datasets.show,
    ("GET", "/slices"): slices.show,
    ("GET", "/leakage"): leakage.show,
    ("GET", "/changes"): changes.show,
    ("GET", "/pictures/versions.svg"): pictures.versions,
    ("GET", "/pictures/similarity.svg"): pictures.similarity,
    ("GET", "/api/slices/counts"): slices.counts,
    ("POST", "/api/slices/preview"): slices.preview,
    ("POST", "/api/slices/save"): slices.save,
    ("POST", "/api/slices/new"): slices.new,
    ("GET", "/api/findings"): leakage.findings,
    ("GET", "/api/finding"): leakage.finding,
    ("POST", "/api/decide"): leakage.accept,
    ("POST", "/api/approve"): leakage.agree,
    ("POST", "/api/undo"): leakage.undo,
    ("GET", "/api/changes"): changes.governed,
    ("POST", "/api/changes/approve"): changes.agree,
}
