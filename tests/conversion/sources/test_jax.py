from __future__ import annotations

import subprocess
import sys
import textwrap

import jax
import jax.numpy as jnp
import pytest

import tensorcopy as tc
from tests.conversion.sources.samples import Sample


def sample(name, build, expected, dtype):
    return Sample(name=name, build=build, expected=expected, dtype=dtype, shares="readonly")


SAMPLES = (
    sample("float32", lambda: jnp.array([0.5, 2]), [0.5, 2], "float32"),
    sample("int32 matrix", lambda: jnp.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]], "int32"),
    sample("bool", lambda: jnp.array([True, False]), [True, False], "bool"),
    sample("bfloat16", lambda: jnp.array([0.5, 2], jnp.bfloat16), [0.5, 2], "bfloat16"),
    sample("float8", lambda: jnp.array([0.5, 2], jnp.float8_e4m3fn), [0.5, 2], "float8_e4m3fn"),
    sample("complex64", lambda: jnp.array([1 + 2j]), [1 + 2j], "complex64"),
    sample("no dimensions", lambda: jnp.array(3), 3, "int32"),
    sample("transposed", lambda: jnp.array([[1, 2], [3, 4]]).T, [[1, 3], [2, 4]], "int32"),
)


def test_a_result_never_writes_into_an_immutable_array():
    x = jnp.array([1.0, 2.0])
    tc.to_torch(x).fill_(9)
    tc.to_numpy(x)[...] = 9
    assert x.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("transform", [jax.jit, jax.grad, jax.vmap], ids=["jit", "grad", "vmap"])
def test_a_tracer_is_refused(transform):
    with pytest.raises(
        tc.errors.UnsupportedSourceError, match=r"JAX tracer.*values that do not exist yet.*pure_callback"
    ):
        transform(lambda x: tc.to_torch(x).sum())(jnp.array([1.0])[0 if transform is jax.grad else slice(None)])


def test_a_deleted_array_is_refused():
    x = jnp.arange(3.0)
    x.delete()
    with pytest.raises(tc.errors.UnusableBufferError, match=r"shape \(3,\).*deleted or donated"):
        tc.to_torch(x)


def test_random_keys_and_small_integers_are_refused_with_the_way_out():
    with pytest.raises(tc.errors.UnsupportedSourceError, match=r"jax\.random\.key_data"):
        tc.to_torch(jax.random.key(0))
    with pytest.raises(tc.errors.UnsupportedSourceError, match=r"JAX array of int4.*astype"):
        tc.to_torch(jnp.array([1, 2], jnp.int4))


def test_an_array_on_several_devices_is_gathered_into_place():
    program = """
        import jax, jax.numpy as jnp, numpy as np, tensorcopy as tc
        from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
        mesh = Mesh(np.array(jax.devices()).reshape(2, 2), ("x", "y"))
        whole = np.arange(32, dtype="float32").reshape(8, 4)
        for spec in (P("x", "y"), P("x"), P(None, "y"), P()):
            x = jax.device_put(whole, NamedSharding(mesh, spec))
            plan = tc.plan(x, to="torch")
            assert not plan.shares and "shards" in plan.why, plan
            assert (tc.to_torch(x).numpy() == whole).all()
            assert (tc.to_numpy(x, dtype="float64") == whole).all()
            try:
                tc.to_torch(x, copy=False)
            except tc.errors.CannotShareError:
                pass
            else:
                raise AssertionError("shared")
    """
    environment = {
        "XLA_FLAGS": "--xla_force_host_platform_device_count=4",
        "JAX_PLATFORMS": "cpu",
        "PYTHONPATH": ":".join(sys.path),
    }
    subprocess.run([sys.executable, "-W", "error", "-c", textwrap.dedent(program)], check=True, env=environment)
